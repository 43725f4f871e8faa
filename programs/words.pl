# SPDX-License-Identifier: MIT OR Apache-2.0
# A text of words, the same each time: words.pl WORDS [PER_LINE]. Few words are frequent, many are rare.
use strict;
use integer;
my ($words, $line) = (shift // 1000, shift // 12);
my $state = 1;
sub below { $state = ($state * 16807) % 2147483647; return $state % shift }
my @parts = qw(ba ce di fo gu ka le mi no pu ra se ti vo xu za str ent ing tion er al ous ly);
my @known = map { join "", map { $parts[below(24)] } 0 .. 1 + below(3) } 1 .. 20000;
for my $n (1 .. $words) {
    my $rank = 1 + below(20000);
    $rank = 1 + below($rank) for 1 .. 2;
    print $known[$rank - 1], $n % $line ? " " : ".\n";
}
