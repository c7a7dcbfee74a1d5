import { Type } from 'typebox';

export const ReportsConfigProperties = {
  reports: Type.Optional(
    Type.Object(
      {
        folder: Type.String({ minLength: 1, description: 'where scheduled reports are written' }),
        time_zone: Type.Optional(Type.String({ minLength: 1, description: 'IANA zone whose months count' })),
        formats: Type.Optional(Type.Array(Type.Enum(['html', 'csv', 'json']), { minItems: 1 })),
      },
      { additionalProperties: false },
    ),
  ),
} as const;

export const DEFAULT_REPORT_TIME_ZONE = 'UTC';
