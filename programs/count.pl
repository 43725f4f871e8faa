# SPDX-License-Identifier: MIT OR Apache-2.0
# Counts the words of a text, sorts them and changes its lines by patterns: count.pl FILE.
use strict;
open my $in, "<", $ARGV[0] or die;
my (%count, %after, $changed, $length);
my $before = "";
while (my $line = <$in>) {
    chomp $line;
    for my $word (split / /, $line) {
        $count{$word}++;
        $after{"$before $word"}++;
        $before = $word;
    }
    $changed += $line =~ s/\b(\w)(\w*?)(ing|tion)\b/$2$1/g;
    $line = join "-", reverse sort split /[aeiou]/, $line;
    $length += length $line;
}
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
printf "%s %d %d %d %d\n", $words[0], scalar @words, scalar keys %after, $changed, $length;
