"""HTTP and WebSocket in front of tables. Decodes, authorises, encodes; decides nothing."""
