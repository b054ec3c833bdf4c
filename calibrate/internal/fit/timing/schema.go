package timing

// Schema describes Spoor's own tables, for the help of calibrate.
const Schema = `Spoor's own timing table is Arrow, or CSV. The first line of CSV names the columns, with units of times and bytes
in brackets:

    # line = 64B
    experiment,bytes [B],count,launch,rep,time [us]
    pingpong,1,,0,0,2.31

Columns stand in any order. Needed are time, and bytes or a layout. A value that does not apply is empty, or 0 in Arrow.
    experiment        what was timed; if the column is absent, transfer:
                          transfer   a block is packed, sent, received and unpacked, one way
                          scan       a parallel prefix operation over a block
                          array      a statement over whole arrays
                          pingpong   PRTT(1,0,s), a round trip of s bytes
                          burst      PRTT(n,0,s): n messages of s bytes, and one of s bytes back after the last
                          delayed    PRTT(n,d,s): with a pause of d between sends
                          send       a send, until the sender continues
                          receive    a receive of a message that has already arrived
                          held       a send to a receiver that starts to receive a delay later
                          gap        from one message to the next in a long stream
                          exchange   both sides send, and receive the other's message
                          allreduce  a reduction whose result all processes get
    rows, cols        items of the block
    item [B]          bytes of an item
    stride [B]        from one row of the block to the next
    base [B]          address of its first byte
    blocks            number of blocks of this layout; if the column is absent, 1
    bytes [B]         of a message; of a block it is rows cols item
    accesses          loads and stores of an array statement
    ops               arithmetic operations
    count             messages of a burst
    delay [s]         between its sends; of a held send, before the receiver starts
    set               train or test; if the column is absent, points are judged by cross-validation
    launch, rep       numbers of the launch of the program and of the repetition in it, from 0
    state             name of the state of the machine; states are fitted separately
    sentinel [s]      round trip of one byte just before
    time [s]          of the experiment
Units may have prefixes: us, ns, KiB. Lines "# key = value" of CSV, and the facts of Arrow, hold for all rows: line and
page are the sizes of memory lines and pages; reps is median or min, which makes one time of a launch's repetitions.`
