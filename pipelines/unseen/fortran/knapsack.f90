! The knapsack problem by dynamic programming, in one processor: a row of the table for each thing.
!
!   knapsack 1 THINGS CAPACITY
program knapsack
  implicit none
  integer :: things, capacity, i, w, weight, worth
  integer, allocatable :: best(:, :)
  character(len=16) :: word

  if (command_argument_count() /= 3) then
    print *, 'knapsack: give 1 THINGS CAPACITY'
    stop 2
  end if
  call get_command_argument(2, word); read (word, *) things
  call get_command_argument(3, word); read (word, *) capacity
  allocate (best(0:capacity, 0:things))
  best(:, 0) = 0
  do i = 1, things
    weight = 3 + mod(i * 37, 101)
    worth = 5 + mod(i * 53, 89)
    do w = 0, capacity
      best(w, i) = best(w, i - 1)
      if (w >= weight) best(w, i) = max(best(w, i), best(w - weight, i - 1) + worth)
    end do
  end do
  print '(i0)', best(capacity, things)
end program knapsack
