# SPDX-License-Identifier: MIT OR Apache-2.0
# Commands of redis in its protocol, the same each time: commands.pl COUNT.
use strict;
use integer;
my $state = 23;
sub below { $state = ($state * 16807) % 2147483647; return ($state >> 4) % shift }
sub command { print "*", scalar @_, "\r\n", map { "\$" . length($_) . "\r\n$_\r\n" } @_ }
command("SELECT", "0");
for my $n (1 .. $ARGV[0]) {
    my $key = below(100000);
    my $kind = below(5);
    if ($kind < 2) { command("SET", "key:$key", "value " . "x" x below(100)) }
    elsif ($kind == 2) { command("HSET", "hash:" . $key % 5000, "field" . below(50), below(1000000)) }
    elsif ($kind == 3) { command("ZADD", "set:" . $key % 500, below(1000000), "member" . below(2000)) }
    else { command("LPUSH", "list:" . $key % 1000, "entry $n") }
}
