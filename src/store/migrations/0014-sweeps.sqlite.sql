-- Those that had not begun, and had no instant.
UPDATE sweeps SET begun_at = unixepoch() WHERE begun_at = 0;
