CREATE OR REPLACE TEMP TABLE standing AS
SELECT offer, $past - 1 AS day, usd_per_gpu_hour FROM span WHERE next_day = $past AND usd_per_gpu_hour > 0;
