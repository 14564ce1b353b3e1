SELECT provider, sku, usd_per_gpu_hour FROM price_now WHERE usd_per_gpu_hour NOT BETWEEN 0.001 AND 1000;
