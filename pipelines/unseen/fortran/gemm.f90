! The product of two matrices in square blocks, which threads take dynamically.
!
!   gemm THREADS ROWS BLOCK
program gemm
  use omp_lib
  implicit none
  integer :: n, b, i, j, k, bi, bj, bk
  double precision, allocatable :: x(:, :), y(:, :), z(:, :)
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'gemm: give THREADS ROWS BLOCK'
    stop 2
  end if
  call get_command_argument(1, word); read (word, *) i
  call omp_set_num_threads(i)
  call get_command_argument(2, word); read (word, *) n
  call get_command_argument(3, word); read (word, *) b
  allocate (x(n, n), y(n, n), z(n, n))
  do j = 1, n
    do i = 1, n
      x(i, j) = mod(i + j, 5); y(i, j) = mod(i * j, 3); z(i, j) = 0
    end do
  end do
  !$omp parallel do collapse(2) schedule(dynamic) private(i, j, k, bk)
  do bj = 1, n, b
    do bi = 1, n, b
      do bk = 1, n, b
        do j = bj, min(bj + b - 1, n)
          do k = bk, min(bk + b - 1, n)
            do i = bi, min(bi + b - 1, n)
              z(i, j) = z(i, j) + x(i, k) * y(k, j)
            end do
          end do
        end do
      end do
    end do
  end do
  print '(f14.1)', sum(z)
end program gemm
