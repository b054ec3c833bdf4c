package dumpi

import (
	"fmt"
	"strings"

	"spoor/traces/trace"
)

// dumpiHandler handles an MPI call.
type dumpiHandler func(r *dumpiRank, c *dumpiCall) error

// dumpiHandlers maps the calls that concern messages to their handlers.
var dumpiHandlers map[string]dumpiHandler

func init() {
	dumpiHandlers = map[string]dumpiHandler{
		"MPI_Comm_rank": (*dumpiRank).commRank, "MPI_Comm_size": (*dumpiRank).commSize,
		"MPI_Send": (*dumpiRank).send, "MPI_Bsend": (*dumpiRank).send, "MPI_Ssend": (*dumpiRank).send, "MPI_Rsend": (*dumpiRank).send,
		"MPI_Recv":  (*dumpiRank).recv,
		"MPI_Isend": (*dumpiRank).isend, "MPI_Ibsend": (*dumpiRank).isend, "MPI_Issend": (*dumpiRank).isend, "MPI_Irsend": (*dumpiRank).isend,
		"MPI_Irecv":     (*dumpiRank).irecv,
		"MPI_Send_init": (*dumpiRank).initSend, "MPI_Bsend_init": (*dumpiRank).initSend, "MPI_Ssend_init": (*dumpiRank).initSend,
		"MPI_Rsend_init": (*dumpiRank).initSend, "MPI_Recv_init": (*dumpiRank).initRecv,
		"MPI_Start": (*dumpiRank).startOne, "MPI_Startall": (*dumpiRank).startAll,
		"MPI_Wait": (*dumpiRank).wait, "MPI_Waitall": (*dumpiRank).waitall, "MPI_Waitany": (*dumpiRank).waitany, "MPI_Waitsome": (*dumpiRank).waitsome,
		"MPI_Test": (*dumpiRank).test, "MPI_Testall": (*dumpiRank).testall, "MPI_Testany": (*dumpiRank).testany, "MPI_Testsome": (*dumpiRank).testsome,
		"MPI_Request_free": (*dumpiRank).requestFree,
		"MPI_Sendrecv":     (*dumpiRank).sendrecv, "MPI_Sendrecv_replace": (*dumpiRank).sendrecvReplace,
		"MPI_Probe": (*dumpiRank).probe, "MPI_Iprobe": (*dumpiRank).iprobe,

		"MPI_Barrier": (*dumpiRank).barrier, "MPI_Bcast": dumpiVector(trace.Bcast, true), "MPI_Reduce": dumpiVector(trace.Reduce, true),
		"MPI_Allreduce": dumpiVector(trace.AllReduce, false), "MPI_Scan": dumpiVector(trace.Scan, false), "MPI_Exscan": (*dumpiRank).exscan,
		"MPI_Gather": (*dumpiRank).gather, "MPI_Gatherv": (*dumpiRank).gather, "MPI_Scatter": (*dumpiRank).scatter, "MPI_Scatterv": (*dumpiRank).scatter,
		"MPI_Allgather": (*dumpiRank).allgather, "MPI_Allgatherv": (*dumpiRank).allgather,
		"MPI_Alltoall": (*dumpiRank).alltoall, "MPI_Alltoallv": (*dumpiRank).alltoallv, "MPI_Alltoallw": (*dumpiRank).alltoallw,
		"MPI_Reduce_scatter": (*dumpiRank).reduceScatter,

		"MPI_Comm_split": (*dumpiRank).makesComm, "MPI_Comm_dup": (*dumpiRank).makesComm, "MPI_Comm_create": (*dumpiRank).makesComm,
		"MPI_Cart_create": (*dumpiRank).makesComm, "MPI_Cart_sub": (*dumpiRank).makesComm, "MPI_Graph_create": (*dumpiRank).makesComm,
		"MPI_Intercomm_create": (*dumpiRank).makesComm, "MPI_Intercomm_merge": (*dumpiRank).makesComm, "MPI_Comm_free": (*dumpiRank).commFree,

		"MPI_Type_contiguous": (*dumpiRank).typeContiguous, "MPI_Type_vector": (*dumpiRank).typeVector, "MPI_Type_hvector": (*dumpiRank).typeVector,
		"MPI_Type_create_hvector": (*dumpiRank).typeVector, "MPI_Type_indexed": (*dumpiRank).typeIndexed, "MPI_Type_hindexed": (*dumpiRank).typeIndexed,
		"MPI_Type_struct": (*dumpiRank).typeStruct, "MPI_Type_dup": (*dumpiRank).typeSame, "MPI_Type_create_resized": (*dumpiRank).typeSame,
		"MPI_Type_create_subarray": (*dumpiRank).typeSubarray, "MPI_Type_size": (*dumpiRank).typeSize,
		"MPI_Type_create_indexed_block": (*dumpiRank).typeUnknown, "MPI_Type_create_hindexed": (*dumpiRank).typeUnknown,
		"MPI_Type_create_struct": (*dumpiRank).typeUnknown, "MPI_Type_create_darray": (*dumpiRank).typeUnknown,
	}
}

// dumpiLocal lists calls that send no message, by the start of their names. Some of
// them still wait for other ranks: MPI_Init, MPI_Finalize, calls on files.
var dumpiLocal = []string{"MPI_Init", "MPI_Finalize", "MPI_Abort", "MPI_Pcontrol", "MPI_Wtime", "MPI_Wtick", "MPI_Get_", "MPI_Type_", "MPI_Group_", "MPI_Comm_group",
	"MPI_Comm_compare", "MPI_Comm_test_inter", "MPI_Comm_remote_", "MPI_Comm_get_", "MPI_Comm_set_", "MPI_Comm_create_", "MPI_Comm_delete_attr",
	"MPI_Comm_free_keyval", "MPI_Comm_call_errhandler", "MPI_Comm_disconnect", "MPI_Attr_", "MPI_Keyval_", "MPI_Topo_test", "MPI_Dims_create", "MPI_Cart",
	"MPI_Graph", "MPI_Err", "MPI_Op_", "MPI_Info_", "MPI_Buffer_", "MPI_Pack", "MPI_Unpack", "MPI_Address", "MPI_Cancel", "MPI_Test_cancelled",
	"MPI_Request_get_status", "MPI_Status_", "MPI_Alloc_mem", "MPI_Free_mem", "MPI_Is_thread_main", "MPI_Query_thread", "MPI_Add_error_", "MPI_File_", "MPIO_",
	"MPI_Register_datarep", "MPI_Win_get_", "MPI_Win_set_", "MPI_Win_create_", "MPI_Win_delete_attr", "MPI_Win_free_keyval", "MPI_Win_call_errhandler",
	"MPI_Open_port", "MPI_Close_port", "MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name"}

// dumpiCommTypes lists the argument types of calls that communicate.
var dumpiCommTypes = []string{"MPI_Comm", "MPI_Request", "MPI_Win"}

// dumpiUnsupported lists calls that communicate in ways that a message trace cannot
// express.
var dumpiUnsupported = []string{"MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Win_", "MPI_Comm_spawn", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Grequest_"}

func hasPrefixOf(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// unhandled handles a call without a handler: it omits the call if the call does not
// communicate.
func (r *dumpiRank) unhandled(c *dumpiCall) error {
	if hasPrefixOf(c.name, dumpiLocal) {
		r.d.notes.skip(c)
		return nil
	}
	foreign := hasPrefixOf(c.name, dumpiUnsupported)
	for i := range c.args {
		for _, t := range dumpiCommTypes {
			foreign = foreign || string(c.text(c.args[i].kind)) == t
		}
	}
	if foreign {
		return c.fail(c.line, nil, fmt.Sprintf("%s communicates in an unsupported way", c.name), "only messages, requests and collectives of MPI-1 are imported, no one-sided communication or spawned processes")
	}
	r.d.notes.skip(c)
	return nil
}

// commRank checks the rank of the file against the result of the call.
func (r *dumpiRank) commRank(c *dumpiCall) error {
	if c.int("comm") == dumpiWorld {
		if rank := c.int("rank"); rank != int64(r.rank) {
			c.bad(c.must("rank"), fmt.Sprintf("the file was read as rank %d", r.rank), "name the files of ranks NAME-0000.txt, NAME-0001.txt and so on")
		}
	}
	return c.err
}

// commSize records the size of the world.
func (r *dumpiRank) commSize(c *dumpiCall) error {
	size := c.count("size")
	if c.int("comm") != dumpiWorld || c.err != nil {
		return c.err
	}
	if size > dumpiMaxRank || size < int64(r.d.size) {
		c.bad(c.arg("size"), fmt.Sprintf("there are files of %d ranks", r.d.size), "give the files of one trace")
	}
	if r.d.maxCommSize == 0 {
		r.d.maxCommSize, r.d.maxCommSizeAt = int(size), r.place(c)
	} else if size != int64(r.d.maxCommSize) {
		c.bad(c.arg("size"), fmt.Sprintf("another rank has %d ranks in MPI_COMM_WORLD", r.d.maxCommSize), "give the files of one trace")
	}
	return c.err
}
