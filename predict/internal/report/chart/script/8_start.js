document.documentElement.classList.add("live");
for (const place of document.querySelectorAll("figure")) if (place.querySelector("script[type='application/json']")) new Figure(place);
for (const section of document.querySelectorAll("section")) legends(section);
for (const table of document.querySelectorAll("main table")) sortable(table);
for (const group of document.querySelectorAll(".group")) budgets(group);
for (const section of document.querySelectorAll("#machines")) machines(section);
