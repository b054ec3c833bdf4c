! Waves in a plane: electric and magnetic fields on staggered grids, each updated from the other.
!
!   fdtd THREADS SIDE STEPS
program fdtd
  use omp_lib
  implicit none
  integer :: n, steps, i, j, s
  real, allocatable :: ez(:, :), hx(:, :), hy(:, :)
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'fdtd: give THREADS SIDE STEPS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  call get_command_argument(3, word); read (word, *) steps
  allocate (ez(n, n), hx(n, n), hy(n, n))
  !$omp parallel do
  do j = 1, n
    ez(:, j) = 0; hx(:, j) = 0; hy(:, j) = 0
  end do
  do s = 1, steps
    !$omp parallel private(i)
    !$omp do
    do j = 1, n - 1
      do i = 1, n - 1
        hx(i, j) = hx(i, j) - 0.5 * (ez(i, j + 1) - ez(i, j))
        hy(i, j) = hy(i, j) + 0.5 * (ez(i + 1, j) - ez(i, j))
      end do
    end do
    !$omp do
    do j = 2, n - 1
      do i = 2, n - 1
        ez(i, j) = ez(i, j) + 0.5 * (hy(i, j) - hy(i - 1, j) - hx(i, j) + hx(i, j - 1))
      end do
    end do
    !$omp end parallel
    ez(n / 2, n / 2) = ez(n / 2, n / 2) + sin(0.2 * s)
  end do
  print '(f12.6)', sum(ez * ez)
end program fdtd
