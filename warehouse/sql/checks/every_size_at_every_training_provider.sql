-- A provider that rents a card able to train has a row for every size class, feasible or with the reason why not.
WITH training AS (
    SELECT DISTINCT provider FROM core.training_offer
    WHERE gpu IN (SELECT gpu FROM training_requirement)
)
SELECT training.provider, llm.llm FROM training CROSS JOIN ref.llm AS llm
ANTI JOIN training_cost_by_provider AS cost ON cost.provider = training.provider AND cost.llm = llm.llm
WHERE llm.kind = 'size_class';
