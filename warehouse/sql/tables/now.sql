-- What several cost tables read, as it stands now: computed once for all of them.
CREATE OR REPLACE TEMP TABLE offer_now AS FROM core.training_offer;
CREATE OR REPLACE TEMP TABLE plan_now AS FROM training_plan;
CREATE OR REPLACE TEMP TABLE serving_now AS FROM core.hosting_option;
