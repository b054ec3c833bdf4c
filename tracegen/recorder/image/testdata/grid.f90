module grid
  real(8) :: cells(10, 4)
  integer :: steps = 0
contains
  subroutine advance()
    cells(2, 3) = cells(2, 3) + 1
    steps = steps + 1
  end subroutine
end module
program main
  use grid
  call advance()
end program
