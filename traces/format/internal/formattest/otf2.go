package formattest

// Otf2Head has the definitions of three ranks, of which 0 has a second thread and a
// device, and of communicators: the world, {2, 0}, and each rank alone.
const Otf2Head = `
=== OTF2-PRINT ===

Content of OTF2 anchor file:
Version                        3.0.2

=== Global Definitions =========================================================

Definition                            ID  Attributes
--------------------------------------------------------------------------------
CLOCK_PROPERTIES                          Ticks per Seconds: 1000000000, Global Offset: 0, Length: 3000, Date: UNDEFINED
STRING                                 0  "main, Paradigm: MPI"
REGION                                 0  Name: "main, Paradigm: MPI" <0> (Aka. "main" <0>), Descr.: "" <0>, Role: FUNCTION, Paradigm: USER, Flags: NONE, File: "" <0>, Begin: 0, End: 0
REGION                                 1  Name: "MPI_Waitall" <1> (Aka. "MPI_Waitall" <1>), Descr.: "" <0>, Role: POINT2POINT, Paradigm: MPI, Flags: NONE, File: "MPI" <18>, Begin: 0, End: 0
REGION                                 2  Name: "MPI_Testsome" <2> (Aka. "MPI_Testsome" <2>), Descr.: "" <0>, Role: POINT2POINT, Paradigm: MPI, Flags: NONE, File: "MPI" <18>, Begin: 0, End: 0
REGION                                 3  Name: "MPI_Sendrecv" <3> (Aka. "MPI_Sendrecv" <3>), Descr.: "" <0>, Role: POINT2POINT, Paradigm: MPI, Flags: NONE, File: "MPI" <18>, Begin: 0, End: 0
LOCATION_GROUP                         7  Name: "a" <1>, Type: PROCESS, Parent: "node::machine" <0>, Creator: UNDEFINED
LOCATION_GROUP                         8  Name: "b" <1>, Type: PROCESS, Parent: "node::machine" <0>, Creator: UNDEFINED
LOCATION_GROUP                         9  Name: "c" <1>, Type: PROCESS, Parent: "node::machine" <0>, Creator: UNDEFINED
LOCATION                               5  Name: "device" <1>, Type: ACCELERATOR_STREAM, # Events: 50, Group: "a" <7>
LOCATION                              10  Name: "x" <1>, Type: CPU_THREAD, # Events: 50, Group: "a" <7>
LOCATION                              20  Name: "y" <1>, Type: CPU_THREAD, # Events: 50, Group: "b" <8>
LOCATION                              30  Name: "z" <1>, Type: CPU_THREAD, # Events: 50, Group: "c" <9>
LOCATION                      4294967306  Name: "x2" <1>, Type: CPU_THREAD, # Events: 50, Group: "a" <7>
GROUP                                  0  Name: "" <0>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, 3 Members: "x" <10>, "y" <20>, "z, "z" <1>" <30>
GROUP                                  1  Name: "" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 3 Members: 0 ("x" <10>), 1 ("y" <20>), 2 ("z" <30>)
GROUP                                  2  Name: "" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 2 ("z" <30>), 0 ("x" <10>)
GROUP                                  3  Name: "" <0>, Type: COMM_SELF, Paradigm: MPI, Flags: NONE, 0 Members: 
GROUP                                  4  Name: "" <0>, Type: COMM_LOCATIONS, Paradigm: PTHREAD, Flags: NONE, 1 Members: "x2" <4294967306>
COMM                                   0  Name: "W" <16>, Group: "" <1>, Parent: UNDEFINED, Flags: NONE
COMM                                   1  Name: "self" <17>, Group: "" <3>, Parent: UNDEFINED, Flags: NONE
COMM                                   2  Name: "sub" <17>, Group: "" <2>, Parent: "W" <0>, Flags: NONE
=== Events =====================================================================
Event                                   Location            Timestamp  Attributes
--------------------------------------------------------------------------------
`
