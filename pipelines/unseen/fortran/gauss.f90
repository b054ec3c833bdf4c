! Dense linear equations by elimination with pivots. Threads have columns in turn, so that each works until the end.
!
!   gauss THREADS UNKNOWNS
program gauss
  use omp_lib
  implicit none
  integer :: n, i, j, k, pivot
  double precision, allocatable :: a(:, :)
  double precision :: t, sum
  character(len=16) :: word

  if (command_argument_count() /= 2) then
    print *, 'gauss: give THREADS UNKNOWNS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  allocate (a(n, n + 1))
  do j = 1, n + 1
    do i = 1, n
      a(i, j) = 1d0 / (1 + mod(i * 7 + j * 13, 31))
    end do
    if (j <= n) a(j, j) = a(j, j) + 2
  end do
  do k = 1, n - 1
    pivot = k - 1 + maxloc(abs(a(k:n, k)), 1)
    a([k, pivot], k) = a([pivot, k], k)
    a(k+1:n, k) = a(k+1:n, k) / a(k, k)
    !$omp parallel do schedule(static, 1) private(t, i)
    do j = k + 1, n + 1
      t = a(pivot, j); a(pivot, j) = a(k, j); a(k, j) = t
      do i = k + 1, n
        a(i, j) = a(i, j) - a(i, k) * t
      end do
    end do
  end do
  sum = 0
  do k = n, 1, -1
    a(k, n + 1) = a(k, n + 1) / a(k, k)
    a(1:k-1, n + 1) = a(1:k-1, n + 1) - a(1:k-1, k) * a(k, n + 1)
    sum = sum + a(k, n + 1)
  end do
  print '(f14.8)', sum
end program gauss
