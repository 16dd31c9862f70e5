print("rollingroad")
