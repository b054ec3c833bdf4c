! A stencil of seven points on a cube. Threads have slabs; the sum of changes is a reduction.
!
!   jacobi3d THREADS SIDE STEPS
program jacobi3d
  use omp_lib
  implicit none
  integer :: n, steps, i, j, k, s
  real, allocatable :: a(:, :, :), b(:, :, :)
  real :: change
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'jacobi3d: give THREADS SIDE STEPS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  call get_command_argument(3, word); read (word, *) steps
  allocate (a(n, n, n), b(n, n, n))
  a = 0; b = 0
  a(:, :, 1) = 1; b(:, :, 1) = 1
  do s = 1, steps
    change = 0
    !$omp parallel do reduction(+:change) private(i, j)
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          b(i, j, k) = (a(i-1, j, k) + a(i+1, j, k) + a(i, j-1, k) + a(i, j+1, k) + a(i, j, k-1) + a(i, j, k+1)) / 6
          change = change + abs(b(i, j, k) - a(i, j, k))
        end do
      end do
    end do
    !$omp parallel do
    do k = 2, n - 1
      a(:, :, k) = b(:, :, k)
    end do
  end do
  print '(f12.4)', change
end program jacobi3d
