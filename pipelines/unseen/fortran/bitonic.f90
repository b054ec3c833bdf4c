! A bitonic sort: in each of its many short steps, all pairs at one distance are put into order.
!
!   bitonic THREADS LOG2_KEYS
program bitonic
  use omp_lib
  implicit none
  integer :: n, log2n, i, partner, block, distance
  integer, allocatable :: key(:)
  integer(8) :: seed
  character(len=16) :: word

  if (command_argument_count() /= 2) then
    print *, 'bitonic: give THREADS LOG2_KEYS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) log2n
  n = 2**log2n
  allocate (key(0:n-1))
  seed = 12345
  do i = 0, n - 1
    seed = mod(seed * 48271_8, 2147483647_8)
    key(i) = int(seed)
  end do
  block = 2
  do while (block <= n)
    distance = block / 2
    do while (distance >= 1)
      !$omp parallel do private(partner)
      do i = 0, n - 1
        partner = ieor(i, distance)
        if (partner > i) then
          if ((key(i) > key(partner)) .eqv. (iand(i, block) == 0)) key([i, partner]) = key([partner, i])
        end if
      end do
      distance = distance / 2
    end do
    block = block * 2
  end do
  if (any(key(1:) < key(:n-2))) stop 1
  print '(i0)', key(n / 2)
end program bitonic
