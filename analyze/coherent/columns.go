package coherent

// Columns says what the tables hold, for help texts.
const Columns = `Tables of coherent, of each processor's private caches (line: bytes of a line):
  coherent        by proc and line:
    distance, count          uses by stack distance in lines; -1 first use; -2 lost, for another
                             processor has stored the line since this one's last use
  coherent_curve  by proc, line, and lines, the capacity of a fully associative LRU cache:
    misses, refs, ratio      uses that miss, all uses of lines, and misses/refs
    cold                     of the misses, first uses
    coherence                of the misses, those whose line was in the cache when another stored it
  coherent.params.toml has, of all processors together at the first line size: coherence, coherence misses per use in
  caches without limit; lost, the share of the uses after the first that have lost their distance.
`
