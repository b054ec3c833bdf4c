! Prime numbers, and a product of matrices by loops.
program sieve
  implicit none
  integer, parameter :: n = 100000, m = 80
  logical :: composite(n)
  double precision :: a(m, m), b(m, m), c(m, m)
  integer :: i, j, k
  composite = .false.
  do i = 2, 316
    if (.not. composite(i)) composite(i * i:n:i) = .true.
  end do
  do j = 1, m
    do i = 1, m
      a(i, j) = i + j
      b(i, j) = i - j
    end do
  end do
  c = 0
  do j = 1, m
    do k = 1, m
      c(:, j) = c(:, j) + a(:, k) * b(k, j)
    end do
  end do
  print '(i8, f12.1)', count(.not. composite), c(2, 3)
end program
