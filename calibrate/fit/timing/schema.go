package timing

// Schema says what our own tables hold, for the help of the command.
const Schema = `Our own tables are Arrow, or CSV whose first line names the columns, times and bytes with their units in brackets:

    # line = 64B
    experiment,bytes [B],count,launch,rep,time [us]
    pingpong,1,,0,0,2.31

Columns stand in any order. Time must be there, and bytes or a layout; what does not apply is empty, or 0 in Arrow.
    experiment        what was timed; without the column it is transfer:
                          transfer   a block is packed, sent, received and unpacked, one way
                          scan       a parallel prefix operation over a block
                          array      a statement over whole arrays
                          pingpong   PRTT(1,0,s), a round trip of s bytes
                          burst      PRTT(n,0,s): n messages of s bytes, and one of s bytes back when all have arrived
                          delayed    PRTT(n,d,s): with a pause of d between sends
                          send       a send, until the sender goes on
                          receive    a receive of a message that is there already
                          held       a send to a receiver that begins to receive a delay later
                          gap        from one message to the next in a long stream
                          exchange   both sides send, and receive the other's message
                          allreduce  a reduction whose result all processes have
    rows, cols        items of the block
    item [B]          bytes of an item
    stride [B]        from one row of the block to the next
    base [B]          address of its first byte
    blocks            blocks of this layout that are touched; 1 without the column
    bytes [B]         of a message; of a block it is rows cols item
    accesses          loads and stores of an array statement
    ops               arithmetic operations
    count             messages of a burst
    delay [s]         between its sends; of a held send, after which the receiver begins
    set               train or test; without the column points are judged by cross-validation
    launch, rep       which launch of the program, and which repetition in it: numbers from 0
    state             name of the state of the machine; states are fitted apart
    sentinel [s]      round trip of one byte just before
    time [s]          of the experiment
Units may have prefixes: us, ns, KiB. Lines "# key = value" of CSV, and the facts of Arrow, say what holds for all: line
and page, sizes of memory lines and pages, and reps, how repetitions in a launch become one time: median, or min.`
