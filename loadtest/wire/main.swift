try RecordBench().run()
