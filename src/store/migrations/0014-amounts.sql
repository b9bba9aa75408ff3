-- Amounts count the smallest unit by ISO 4217 from now on. Of these it was the whole unit, since few use a smaller one.
-- An amount has at most 15 digits.
UPDATE conversions SET amount = CASE
  WHEN currency = 'IQD' AND amount <= 999999999999 THEN amount * 1000
  WHEN currency <> 'IQD' AND amount <= 9999999999999 THEN amount * 100
  ELSE 999999999999999 END
WHERE amount IS NOT NULL AND currency IN ('AFN', 'ALL', 'COP', 'HUF', 'IDR', 'IQD', 'IRR', 'KPW', 'LAK', 'LBP', 'MGA',
  'MMK', 'PKR', 'SLL', 'SOS', 'SYP', 'YER');
