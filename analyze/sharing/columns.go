package sharing

// Columns says what the tables hold, for help texts.
const Columns = `Tables of sharing (line: bytes of a line; array, owner: the region of the trace that an
address lies in, "" for none, and the processor it is private to, or -1):
  sharing         by proc, line and array:
    loads, stores            uses of lines
    shared                   of these, of lines that other processors use too
    words, shared_words      accesses of words, and of these, of words that others access too
    pure_cold                misses: first uses of lines that nobody had stored
    cold_true, cold_false    other first uses: what others had stored was accessed, or not
    true_sharing             misses after another's store that brought what others had stored and was accessed
    false_sharing            misses after another's store that brought nothing of the kind
    upgrades                 stores that hit a line that others have too
    silent_upgrades          stores that hit a line that is shared, but nobody else has
  sharing_rate    by proc (-1: all) and granule, the bytes of a word or line:
    uses, shared, rate       shared data access rate = shared/uses [du2000]
    moved, moved_rate        what came from other processors, and moved/uses
  sharing_matrix  by line, from (-1: memory) and to:
    lines, bytes             that misses moved from the cache that stored them last
    words, used              that were loaded, once for each time they were stored, and their bytes; from memory those that
                             nobody had stored, once
  sharing_runs    by line and kind (write, read, invalidated):
    least, most, runs, sum   how many runs of least to most uses or copies, and the sum of their lengths
  sharing_lines   by line, array (the first, if several), kind, and number of users and writers, processors that use and store them:
    lines, uses, true_sharing, false_sharing
  sharing_phases  by proc, line, and phase, counted by barriers, from phase on for so many phases:
    uses, cold, true_sharing, false_sharing, upgrades
`
