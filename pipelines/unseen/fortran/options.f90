! The price of an option by Monte Carlo: threads draw paths, and add their sums in a critical section after each batch.
!
!   options THREADS PATHS STEPS
program options
  use omp_lib
  implicit none
  integer :: paths, steps, i, p, s, threads
  integer(8) :: seed
  double precision :: total, mine, price, u, v
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'options: give THREADS PATHS STEPS'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) threads
  call omp_set_num_threads(threads)
  call get_command_argument(2, word); read (word, *) paths
  call get_command_argument(3, word); read (word, *) steps
  total = 0
  !$omp parallel private(i, p, s, seed, mine, price, u, v)
  seed = 1 + 7919 * omp_get_thread_num()
  !$omp do schedule(dynamic)
  do i = 1, paths / 16
    mine = 0
    do p = 1, 16
      price = 1
      do s = 1, steps
        u = uniform(seed); v = uniform(seed)
        price = price * exp(0.02d0 * sqrt(-2 * log(u)) * cos(6.283185307179586d0 * v))
      end do
      mine = mine + max(price - 1, 0d0)
    end do
    !$omp critical
    total = total + mine
    !$omp end critical
  end do
  !$omp end parallel
  print '(f10.3)', total / paths
contains
  double precision function uniform(x)
    integer(8), intent(inout) :: x
    x = mod(x * 48271_8, 2147483647_8)
    uniform = dble(x) / 2147483647d0
  end function uniform
end program options
