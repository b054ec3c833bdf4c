package phases

// Columns describes the table phases.
const Columns = `Columns of phases.arrow, one row for each event of a processor in a window, for coherent private caches
with all associativities from 1 to 20 ways:
  proc                 processor
  phase                number of barriers that it has passed
  window               number of the window within the phase; a window has --window instructions
  line                 line size of the caches in bytes
  sets                 number of sets of the caches; 0 for events that do not depend on it
  event                one of:
                       alone_plus, alone_minus: upgrades of lines that no other processor stored last or has
                       used since. With protocols mesi and moesi, they send nothing.
                       instr: instructions. A reference belongs to the window in which its instructions end,
                       with all of them. Other instructions belong to the window of the reference before them.
                       load, store: uses of lines
                       reuse_load, reuse_store: uses of lines, by their stack distance in lines of the set
                       upgrade_plus, upgrade_minus: stores that hit an unmodified line and therefore send an
                       invalidation, even if no other cache holds the line (the protocol has three states)
                       writeback_plus, writeback_minus: modified lines that misses evict or flushes remove
                       supply_plus: misses that another cache serves
  distance             reuse_*: caches with more ways than distance hit. All caches miss at -1 and -2.
                       -1: first use; -2: another processor has stored the line since the last
                       use, or it was flushed
                       *_plus, *_minus: caches with more ways than distance add or subtract count
  count                number of events
`
