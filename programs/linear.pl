# SPDX-License-Identifier: MIT OR Apache-2.0
# A sparse linear program that has a solution, the same each time: linear.pl ROWS COLUMNS.
use strict;
use integer;
my ($rows, $columns) = @ARGV;
my $state = 5;
sub below { $state = ($state * 16807) % 2147483647; return ($state >> 4) % shift }
print "Maximize\n obj:";
print " + ", 1 + below(50), " x$_", $_ % 8 ? "" : "\n" for 1 .. $columns;
print "\nSubject To\n";
for my $r (1 .. $rows) {
    my %of = map { (1 + below($columns)) => 1 + below(20) } 1 .. 8;
    print " c$r: ", join(" + ", map { "$of{$_} x$_" } sort { $a <=> $b } keys %of), " <= ", 100 + below(10000), "\n";
}
print "Bounds\n";
print " 0 <= x$_ <= ", 10 + below(90), "\n" for 1 .. $columns;
print "End\n";
