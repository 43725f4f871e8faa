-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A table is filled, indexed and asked.
CREATE TABLE item (id INTEGER PRIMARY KEY, key INTEGER, name TEXT, price REAL);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO item SELECT i, (i * 7919) % 100003, 'name ' || (i * 104729) % 9973, (i * 31) % 997 / 7.0 FROM n;
CREATE INDEX by_key ON item (key);
CREATE INDEX by_name ON item (name);
SELECT count(*), sum(a.price) FROM item a JOIN item b ON a.key = b.id WHERE b.price > 50;
SELECT name, count(*), avg(price) FROM item GROUP BY name ORDER BY 3 DESC LIMIT 5;
UPDATE item SET price = price + 1 WHERE key % 3 = 0;
SELECT sum(price) FROM item WHERE name LIKE 'name 77%';
DELETE FROM item WHERE key < 20000;
SELECT count(*), max(name) FROM item;
