try RecordBench().run()
try HeadBench().run()
