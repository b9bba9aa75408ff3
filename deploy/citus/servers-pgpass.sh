#!/bin/sh
# Run once on each server, while its volume is new: the passwords with which the servers open connections to each other.
umask 077
printf '*:*:*:postgres:%s\n*:*:*:lastcall_app:%s\n' "$POSTGRES_PASSWORD" "$LASTCALL_DB_PASSWORD" >"$PGPASSFILE"
