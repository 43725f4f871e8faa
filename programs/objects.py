# SPDX-License-Identifier: MIT OR Apache-2.0
"""Dictionaries, lists, objects and text, as a server's program uses them."""


class Item:
    """An item of an order."""

    def __init__(self, name, price):
        self.name = name
        self.price = price

    def cost(self, count):
        return self.price * count


STATE = 1


def below(limit):
    """A number by chance below the limit, the same each time."""
    global STATE
    STATE = STATE * 16807 % 2147483647
    return STATE % limit


items = [Item(f"item {n}", below(1000)) for n in range(50000)]
by_name = {item.name: item for item in items}
orders = []
for number in range(60000):
    lines = [(f"item {below(50000)}", 1 + below(5)) for _ in range(3)]
    orders.append({"number": number, "lines": lines, "total": sum(by_name[name].cost(count) for name, count in lines)})
orders.sort(key=lambda order: (order["total"], order["number"]))
text = "\n".join(f"{order['number']};{order['total']};{','.join(name for name, _ in order['lines'])}" for order in orders)
counts = {}
for line in text.split("\n"):
    for name in line.split(";")[2].split(","):
        counts[name] = counts.get(name, 0) + 1
print(len(text), max(counts.items(), key=lambda entry: (entry[1], entry[0])))
