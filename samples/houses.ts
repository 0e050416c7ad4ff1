import { rgb } from 'pdf-lib';

/** The invented senders of the samples, as their letterheads and signatures show them. */
export const northgate = {
  name: 'Northgate Cardiology',
  from: { name: 'Northgate Cardiology', address: 'appointments@northgate-cardiology.example' },
  lines: ['Northgate Hospital, Level 2', '14 Priory Lane, Ashcombe ZX4 2QT', 'Telephone 01632 960 114'],
  colour: rgb(0.0, 0.36, 0.62),
};

export const hillside = {
  name: 'Hillside Clinic',
  from: { name: 'Hillside Clinic records office', address: 'records@hillside-clinic.example' },
  lines: ['3 Orchard Rise, Ashcombe ZX1 7HD', 'Telephone 01632 960 482'],
  colour: rgb(0.16, 0.45, 0.3),
};

export const physiotherapy = {
  name: 'Ashcombe Community Physiotherapy',
  from: { name: 'Ashcombe Community Physiotherapy', address: 'bookings@ashcombe-physio.example' },
  lines: ['The Old Library, 22 Mill Street', 'Ashcombe ZX1 3FB', 'Telephone 01632 960 237'],
  colour: rgb(0.42, 0.24, 0.5),
};

export const brightwater = {
  name: 'Brightwater Appliances',
  from: { name: 'Brightwater Appliances', address: 'orders@brightwater-appliances.example' },
  lines: ['Unit 6, Canal Retail Park', 'Ashcombe ZX2 9LW', 'VAT registration GB 000 0000 00'],
  colour: rgb(0.75, 0.33, 0.12),
};

export const silverline = {
  from: { name: 'Silverline Benefits Team', address: 'claims@silverline-benefits.example' },
};

/** Where the patient of the samples lives, for the address window of a letter. */
export const home = ['8 Kiln Cottages', 'Ashcombe', 'ZX1 5RN'];
