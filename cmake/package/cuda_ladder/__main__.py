from cuda_ladder import main

main()
