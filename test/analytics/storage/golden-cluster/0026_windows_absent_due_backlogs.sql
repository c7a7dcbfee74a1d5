ALTER TABLE windows_local ON CLUSTER 'fleet-1' ADD COLUMN IF NOT EXISTS absent_due_backlogs Map(String, Float64)
;
ALTER TABLE windows ON CLUSTER 'fleet-1' ADD COLUMN IF NOT EXISTS absent_due_backlogs Map(String, Float64)
