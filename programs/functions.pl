# SPDX-License-Identifier: MIT OR Apache-2.0
# A C program, the same each time: functions.pl FUNCTIONS.
use strict;
use integer;
my $state = 3;
sub below { $state = ($state * 16807) % 2147483647; return ($state >> 4) % shift }
print "struct item { int key, count; struct item *next; double weight; };\nextern int table[4096];\n";
for my $f (0 .. $ARGV[0] - 1) {
    print "int f$f(int a, int b, struct item *list) {\n    int sum = a ^ ", below(1000), ";\n";
    for my $s (0 .. 11) {
        my ($x, $y) = (below(4096), 1 + below(9));
        my @kinds = (
            "    for (int i = 0; i < (b & 63); i++) sum += table[(i * $y + $x) & 4095] * (a + i);\n",
            "    while (list && list->key < $x) { sum += list->count / $y; list = list->next; }\n",
            "    switch (sum & 7) { case 0: sum += $x; break; case 1: sum ^= b; case 2: sum -= $y; break; case 5: sum *= 3; default: sum++; }\n",
            "    if (list && list->weight > $x.5) sum += (int)(list->weight * $y); else table[$x] = sum - a;\n",
            $f ? "    sum += f" . below($f) . "(sum & 15, b - $y, list);\n" : "    sum += $y;\n",
        );
        print $kinds[below(5)];
    }
    print "    return sum;\n}\n";
}
