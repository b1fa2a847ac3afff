"""A ranking as one HTML page that needs nothing but itself; it needs the extra `report`.

Data goes one way, one file per step: `page` hands the ranking itself to `page.html.jinja`, which
reads its table, verdict and checks; `pictures` puts the displays' own SVG into the page;
`provenance` says how the ranking was computed; `page.css` dresses all of it. Everything from the
data is escaped, because autoescape is on; the one text that is not is the SVG, which an XML library
writes. `page.js` keeps answers about rows and saves them as a file. The page asks for nothing from
anywhere, and can be printed.
"""

from oddrank.report.page import AnswersFile, html_page

__all__ = ["AnswersFile", "html_page"]
