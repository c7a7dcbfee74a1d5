export { ClassBoost } from './boost.ts';
export { PromotionBudget, type PromotionBudgetOptions, type PromotionLoad } from './promotion-budget.ts';
