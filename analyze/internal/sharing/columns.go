package sharing

// Columns documents the tables for help texts.
const Columns = `Tables. Column line is the size of a line in bytes. Column array is the region of the trace that contains
the address, "" for none. Column owner is the processor to which the region is private, or -1.

  sharing, by proc, line, array and owner:
    loads, stores          uses of lines
    shared                 uses of lines that other processors use too
    words                  accesses to words
    shared_words           accesses to words that other processors access too
    pure_cold              misses: first uses of lines that no processor had stored
    cold_true              misses: other first uses; the processor then accessed data that others had stored
    cold_false             misses: other first uses, without such an access
    true_sharing           misses after another processor's store; the processor then accessed data that
                           others had stored
    false_sharing          misses after another processor's store, without such an access
    upgrades               stores that hit a line of which other caches have a copy
    silent_upgrades        stores that hit a line in state shared of which no other cache has a copy
    flush_misses           misses of lines that a flush removed
    prefetch_fills         lines that prefetches fetch
                           (these two only if the trace has flushes or prefetches)

  sharing_rate, by proc (-1: all) and granule (bytes of a word or line):
    uses, shared, rate     uses, uses of shared data, and shared/uses: the shared data access rate [du2000]
    moved, moved_rate      data that came from other processors, and moved/uses

  sharing_matrix, by line, from (the processor that stored last; -1: memory, also after a flush) and to:
    lines, bytes           lines that misses and prefetches moved, and their bytes
    words, used            words that were loaded, once for each time they were stored, and their bytes.
                           From memory: words that no processor had stored, once

  sharing_runs, by line and kind (write, read, invalidated):
    least, most            shortest and longest run of the class, in uses (write, read) or copies removed
    runs, sum              number of runs, and the sum of their lengths

  sharing_lines, by line, array (the first, if several), kind of sharing, users and writers:
    users, writers         number of processors that use the lines, and that store to them
    lines, uses            number of lines, and their uses
    true_sharing, false_sharing  misses, as above

  sharing_phases, by proc, line and phase (the number of barriers passed):
    phase, phases          first phase of the row, and number of phases that it joins
    uses, cold, true_sharing, false_sharing, upgrades  as above; flush_misses, with flushes or prefetches
`
