-- Those that had not begun, and had no instant.
UPDATE sweeps SET begun_at = floor(extract(epoch FROM now())) WHERE begun_at = 0;
