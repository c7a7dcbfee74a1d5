-- Tenants without any request in the window that by fair service would still be served in it, since they got ahead before:
-- what that service has left (docs/definitions.md, "Verdicts"). Shown to nobody; the next window begins with it.
ALTER TABLE windows
    ADD COLUMN IF NOT EXISTS absent_due_backlogs Map(String, Float64)
