package phases

// Columns says what the table phases holds, for help texts.
const Columns = `Columns of phases.arrow, of private caches that are kept coherent, all of 1 to 20 ways at once: a row counts an
event of a processor, in a phase, counted by barriers from 0, and a window of --window instructions in it:
  line, sets                           of the caches; sets is 0 of events that do not depend on them
  event    instr, load, store          instructions, and uses of lines; a reference is in the window in which its instructions end, with
                                       all of them, and what is executed besides in that of the reference before
           reuse_load, reuse_store     uses by their distance in lines of the set
           upgrade_plus, ..._minus     stores that hit a line that is not modified, and ask others to give it up, who may not have it (the
                                       protocol has three states); writeback_ and supply_plus likewise: modified lines that
                                       misses push out, misses that another cache serves
  distance                             caches of more ways than that hit; -1 first use, -2 another processor has stored the line
                                       since, which all miss. Of upgrades and the like, caches of more ways count what is plus and
                                       take off what is minus
  count                                how many
`
