package coherent

// Columns documents the tables for help texts.
const Columns = `Tables, for the private caches of each processor. Column line is the size of a line in bytes.

  coherent, by proc and line:
    distance    stack distance in lines; -1 first use; -2 invalidated: another processor has stored the line
                since this processor's last use; -3 it was flushed since then
    count       uses with that distance

  coherent_curve, by proc, line and lines:
    lines       capacity of a fully associative LRU cache
    misses      uses that miss
    cold        misses by first use
    coherence   misses of lines that were in the cache when another processor stored them
    refs        all uses of lines
    ratio       misses/refs
    flush_misses, prefetch_fills
                misses of flushed lines, and lines that prefetches fetch; only if the trace has
                such references

  coherent.params.toml, for all processors together at the first line size:
    coherence   coherence misses per use, in caches of unlimited size
    lost        invalidated uses per use that is not a first use
`
