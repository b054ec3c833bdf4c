package footprint

// Columns describes the tables and parameters.
const Columns = `Columns of footprint.arrow, one row for each block size and processor:
  proc               processor; -1: all processors together
  block              block size in bytes
  windows            number of windows in which the processor loads or stores anything; others do not count
  mean, max          distinct blocks of a window: mean and maximum
  shared             mean number of blocks of a window that several processors use in the trace
  private            mean number of blocks of a window that no other processor uses in the trace
  window_shared      mean number of blocks of a window that several processors use within it
  window_private     mean number of blocks of a window that no other processor uses within it
  window_shared_max, window_private_max   their maxima
  total              distinct blocks of the trace
  total_shared       distinct blocks of the trace that several processors use
Columns of projection.arrow, one row for each cache, processor and quantity:
  proc, block        as in footprint.arrow
  sets, ways         shape of the cache
  quantity           one of:
                     footprint: blocks used in a window
                     projection: those of them that a cache keeps if it is empty at the start of the window
                     model: projection of that footprint with LRU replacement
                     paper: the same by [falsafi1997, eq. 4 or 8]
                     model_inverse, paper_inverse: footprint of that projection; omitted if the cache is full
  value              in blocks; footprint and projection are means over windows
Columns of interference.arrow, for processes that take turns of a window each on one cache:
  block, sets, ways  as in projection.arrow
  processes          number of neighbours that share a cache: 2, 4, 8 and so on; incomplete groups are omitted
  source             loss: measured eviction of blocks
                     extra_misses: measured misses in addition to those without other processes
                     model: other processes run one after the other
                     model_window: the same, for blocks shared within the window
                     as_one: other processes count as one process
                     paper: [falsafi1997, eq. 7 or 13] with errors corrected
                     printed: [falsafi1997, eq. 13] as printed
                     model_sets: extra misses predicted from the use of every set
  per_switch         blocks that a process loses before it runs again, less its own blocks that others load
  per_turn           sum of per_switch over all processes
  error              per_switch less that of loss; for model_sets less that of extra_misses
Columns of the summary:
  f_s, f_avg, f_max  parameters F_S, F_avg and F_max
  loss, model        per_switch of these sources
Columns of footprint_switches.arrow, predictions of model_sets, also for more processes:
  block, sets, ways, processes            as in interference.arrow
  per_switch         misses of each turn of a process in addition to those without other processes
Columns of footprint_windows.arrow, for a random sample of windows:
  block              block size in bytes
  window             number of the window
  processors         number of processors that use anything
  shared, private    mean number of blocks of these processors, by sharing within the window
Parameters of footprint.params.toml:
  f_s_cache, f_avg_cache, f_max_cache     F_S, F_avg and F_max of lines
  f_s_tlb, f_avg_tlb, f_max_tlb           F_S, F_avg and F_max of pages
  f_s_window_cache, ...                   the same, with sharing within the window
  block_cache, block_tlb                  block size
  window_cache, window_tlb                instructions of a window, if it is a quantum
`
