! A ring of messages, collectives and a communicator, by mpif.h, mpi or mpi_f08.
program ring
#if defined(OLD)
  implicit none
  include 'mpif.h'
#elif defined(NEW)
  use mpi_f08
  implicit none
#else
  use mpi
  implicit none
#endif
#if defined(NEW)
  type(MPI_Request) :: q(2)
  type(MPI_Comm) :: half
  type(MPI_Datatype) :: column
  type(MPI_Status) :: st
#else
  integer :: q(2), half, column, st(MPI_STATUS_SIZE)
#endif
  integer :: e, me, n, next, before
  double precision :: a(4, 4), b(4)
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, e)
  call MPI_Comm_size(MPI_COMM_WORLD, n, e)
  next = mod(me + 1, n)
  before = mod(me + n - 1, n)
  a = me
  call MPI_Type_vector(4, 1, 4, MPI_DOUBLE_PRECISION, column, e)
  call MPI_Type_commit(column, e)
  call MPI_Irecv(b, 4, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, q(1), e)
  call MPI_Isend(a, 1, column, next, 5, MPI_COMM_WORLD, q(2), e)
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, e)
  call MPI_Sendrecv(a, 2, MPI_INTEGER, next, 6, b, 2, MPI_INTEGER, before, 6, MPI_COMM_WORLD, st, e)
  call MPI_Bcast(b, 3, MPI_REAL, 1, MPI_COMM_WORLD, e)
  call MPI_Allreduce(MPI_IN_PLACE, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Barrier(MPI_COMM_WORLD, e)
  call MPI_Comm_split(MPI_COMM_WORLD, me / 2, -me, half, e)
  if (mod(me, 2) == 0) then
    call MPI_Send(a, 1, MPI_INTEGER, 0, 7, half, e)
  else
    call MPI_Recv(b, 1, MPI_INTEGER, 1, 7, half, MPI_STATUS_IGNORE, e)
  end if
  call MPI_Comm_free(half, e)
  call MPI_Type_free(column, e)
  call MPI_Finalize(e)
end program
