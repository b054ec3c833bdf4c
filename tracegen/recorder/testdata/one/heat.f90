! Heat in a plate.
program heat
  implicit none
  integer, parameter :: n = 150
  double precision :: u(n, n), v(n, n)
  integer :: i, j, s
  u = 0
  u(1, :) = 1
  v = u
  do s = 1, 20
    do j = 2, n - 1
      do i = 2, n - 1
        v(i, j) = u(i, j) + 0.2d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
      end do
    end do
    u = v
  end do
  if (u(3, 3) < 0) stop 1
  print '(f8.5)', sum(u)
end program
