SELECT offer_key, count(*) AS prices FROM price_now GROUP BY offer_key HAVING count(*) > 1;
