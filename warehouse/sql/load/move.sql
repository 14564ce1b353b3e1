INSERT INTO core.move BY NAME SELECT * FROM new_move ORDER BY provider, observed_at, offer_key;
