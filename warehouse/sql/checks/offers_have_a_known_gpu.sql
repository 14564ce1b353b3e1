SELECT provider, sku, gpu FROM price_now ANTI JOIN ref.gpu USING (gpu);
