! Successive over-relaxation in red and black order on a square: half of the points change in each sweep, in place.
!
!   redblack THREADS SIDE SWEEPS
program redblack
  use omp_lib
  implicit none
  integer :: n, sweeps, i, j, s, colour
  double precision, allocatable :: u(:, :)
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'redblack: give THREADS SIDE SWEEPS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  call get_command_argument(3, word); read (word, *) sweeps
  allocate (u(n, n))
  u = 0
  u(:, 1) = 1; u(n, :) = 2
  !$omp parallel private(s, colour, i, j)
  do s = 1, sweeps
    do colour = 0, 1
      !$omp do
      do j = 2, n - 1
        do i = 2 + mod(j + colour, 2), n - 1, 2
          u(i, j) = u(i, j) + 1.5d0 * ((u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1)) / 4 - u(i, j))
        end do
      end do
    end do
  end do
  !$omp end parallel
  print '(f14.6)', sum(u)
end program redblack
