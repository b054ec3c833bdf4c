! Alternating directions: tridiagonal equations along all columns, and then along all rows, so that threads exchange everything.
!
!   adi THREADS SIDE STEPS
program adi
  use omp_lib
  implicit none
  integer :: n, steps, i, j, s
  double precision, allocatable :: u(:, :)
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'adi: give THREADS SIDE STEPS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  call get_command_argument(3, word); read (word, *) steps
  allocate (u(n, n))
  do j = 1, n
    do i = 1, n
      u(i, j) = mod(i * j, 17)
    end do
  end do
  do s = 1, steps
    !$omp parallel do
    do j = 1, n
      call solve(u(:, j))
    end do
    !$omp parallel do
    do i = 1, n
      call solve(u(i, :))
    end do
  end do
  print '(es16.8)', sum(u)
contains
  ! solve replaces x by y with y(k) - 0.25 (y(k-1) + y(k+1)) = x(k).
  subroutine solve(x)
    double precision, intent(inout) :: x(:)
    double precision :: c(size(x))
    integer :: k
    c(1) = -0.25d0
    do k = 2, size(x)
      c(k) = -0.25d0 / (1 + 0.25d0 * c(k - 1))
      x(k) = (x(k) + 0.25d0 * x(k - 1)) / (1 + 0.25d0 * c(k - 1))
    end do
    do k = size(x) - 1, 1, -1
      x(k) = x(k) - c(k) * x(k + 1)
    end do
  end subroutine solve
end program adi
