CREATE OR REPLACE TEMP TABLE standing AS SELECT offer, day_6 AS usd_per_gpu_hour FROM week WHERE day_6 > 0;
