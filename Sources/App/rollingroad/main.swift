import CommandLine
import Glibc

exit(CommandTable.runProcess().rawValue)
