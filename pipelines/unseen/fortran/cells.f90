! Particles in a plane that push each other when they are near. Lists of cells find who is near; forces are reduced arrays.
!
!   cells THREADS PARTICLES STEPS
program cells
  use omp_lib
  implicit none
  integer :: n, steps, side, s, i, j, cx, cy, dx, dy
  integer, allocatable :: first(:, :), next(:)
  real, allocatable :: x(:, :), v(:, :), f(:, :)
  real :: d(2), r2
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'cells: give THREADS PARTICLES STEPS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  call get_command_argument(3, word); read (word, *) steps
  side = max(3, int(sqrt(real(n) / 2)))
  allocate (x(2, n), v(2, n), f(2, n), next(n), first(0:side-1, 0:side-1))
  do i = 1, n
    x(:, i) = [mod(i * 0.6180340, 1.0), mod(i * 0.7548777, 1.0)] * side
  end do
  v = 0
  do s = 1, steps
    first = 0
    do i = 1, n
      cx = modulo(int(x(1, i)), side); cy = modulo(int(x(2, i)), side)
      next(i) = first(cx, cy); first(cx, cy) = i
    end do
    f = 0
    !$omp parallel do reduction(+:f) private(i, j, cx, dx, dy, d, r2) schedule(static)
    do cy = 0, side - 1
      do cx = 0, side - 1
        i = first(cx, cy)
        do while (i > 0)
          do dy = -1, 1
            do dx = -1, 1
              j = first(modulo(cx + dx, side), modulo(cy + dy, side))
              do while (j > 0)
                d = x(:, i) - x(:, j)
                d = d - side * anint(d / side)
                r2 = sum(d * d)
                if (i < j .and. r2 < 1) then
                  f(:, i) = f(:, i) + d * (1 - r2)
                  f(:, j) = f(:, j) - d * (1 - r2)
                end if
                j = next(j)
              end do
            end do
          end do
          i = next(i)
        end do
      end do
    end do
    !$omp parallel do
    do i = 1, n
      v(:, i) = v(:, i) + 0.01 * f(:, i)
      x(:, i) = modulo(x(:, i) + 0.1 * v(:, i), real(side))
    end do
  end do
  print '(f12.2)', sum(v * v)
end program cells
